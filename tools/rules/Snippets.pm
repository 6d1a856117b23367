# Calls in programs that a test runs: for the API reference, which shows one for each public call, and for the rule that requires it.
package Snippets;
use strict;
use warnings;
use Exporter 'import';
use Rules;
our @EXPORT = qw(snippet_of public_calls);

my $before = 7;    # lines of the function before the call,
my $after = 5;     # and after it

# functions(PATH): [first line, last line] of the bodies of all functions in the form that clang-format gives them.
sub functions {
    my (@lines) = @_;
    my ($start, @found);
    for my $i (0 .. $#lines) {
        $start = $i + 1 if $lines[$i] =~ /^[^\s#\/}].*\)\s*\{$/ || $lines[$i] =~ /^\s+\S.*\)\s*\{$/ && !defined $start;
        if ($lines[$i] =~ /^\}/ && defined $start) {
            push @found, [$start, $i - 1];
            undef $start;
        }
    }
    return @found;
}

my %known;

# Examples first, which are written to be read; of tests the shortest function.
sub learn {
    for my $path (files(qr/\.c$/, 'examples'), files(qr/\.c$/, 'tests/unit', 'tests/install')) {
        my @lines = lines($path);
        my @code = code_of($path);
        my $example = $path =~ /^examples/;
        for my $function (functions(@lines)) {
            my ($first, $last) = @$function;
            for my $i ($first .. $last) {
                for my $name ($code[$i] =~ /\b(lf_[a-z0-9_]+)\s*\(/g) {
                    # A call that is refused shows what not to do.
                    my $refused = $lines[$i] =~ /LF_BAD_|LF_NO_MEMORY|\(NULL/ ? 5000 : 0;
                    my $cost = ($example ? 0 : 1000 + $last - $first) + $refused;
                    next if $known{$name} && $known{$name}{cost} <= $cost;
                    $known{$name} = { cost => $cost, path => $path, first => $first, last => $last, at => $i, lines => \@lines };
                }
            }
        }
    }
}

# snippet_of(NAME): where a call is shown, and the lines around it; nothing where there is none.
sub snippet_of {
    my ($name) = @_;
    learn() unless %known;
    my $found = $known{$name} or return;
    my ($first, $last) = ($found->{at} - $before, $found->{at} + $after);
    $first = $found->{first} if $first < $found->{first};
    $last = $found->{last} if $last > $found->{last};
    my @lines = @{ $found->{lines} }[$first .. $last];
    my ($indent) = sort { length $a <=> length $b } map { /^(\s*)\S/ ? $1 : () } @lines;
    s/^\Q$indent\E// for @lines;
    unshift @lines, '// ...' if $first > $found->{first};
    push @lines, '// ...' if $last < $found->{last};
    return ($found->{path}, @lines);
}

# public_calls(HEADER): [name, line number of its declaration] for all exported functions.
sub public_calls {
    my ($path) = @_;
    my @lines = lines($path);
    my @found;
    for my $i (0 .. $#lines) {
        next unless $lines[$i] =~ /^LF_API /;
        my $text = join ' ', @lines[$i .. ($i + 2 > $#lines ? $#lines : $i + 2)];
        push @found, [$1, $i + 1] if $text =~ /\b(lf_[a-z0-9_]+)\s*\(/;
    }
    return @found;
}

1;
