# What the rules share: lists of files, and C code without its comments and texts.
package Rules;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(files lines code_of wrong note);

# files(PATTERN, FOLDER...): the paths below the folders that match, sorted; build output is left out.
sub files {
    my ($pattern, @folders) = @_;
    my @found;
    while (defined(my $folder = shift @folders)) {
        opendir(my $handle, $folder) or next;
        for my $name (sort readdir $handle) {
            next if $name =~ /^\.\.?$/;
            my $path = $folder eq '.' ? $name : "$folder/$name";
            if (-d $path && !-l $path) {
                push @folders, $path unless $path =~ m{^(build|demo|\.git)$|/(node_modules|dist)$};
            } elsif ($path =~ $pattern) {
                push @found, $path;
            }
        }
    }
    return sort @found;
}

sub lines {
    my ($path) = @_;
    open(my $handle, '<', $path) or die "$path: $!\n";
    my @lines = <$handle>;
    chomp @lines;
    return @lines;
}

# code_of(PATH): the lines with comments and the insides of texts blanked, so that only code is left to match.
sub code_of {
    my ($path) = @_;
    my $text = join("\n", lines($path)) . "\n";
    my $blank = sub { my $what = shift; $what =~ s/[^\n]/ /g; $what };
    $text =~ s{(//[^\n]*|/\*.*?\*/)|(^[ \t]*\#[ \t]*include[^\n]*)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')}
              {defined $1 ? $blank->($1) : defined $2 ? $2 : substr($3, 0, 1) . $blank->(substr($3, 2)) . substr($3, -1)}gemsx;
    return split /\n/, $text, -1;
}

sub wrong {
    my ($path, $line, $what) = @_;
    print "$path:$line: $what\n";
}

sub note {
    my ($path, $line, $what) = @_;
    print "note: $path:$line: $what\n";
}

1;
