/// json-check: reads JSON documents from standard input, one after the other, and says how many there are.
#include <jansson.h>
#include <stdio.h>

int main(void) {
    json_error_t error;
    int count = 0;
    for (;;) {
        int c = getchar();
        while (c == ' ' || c == '\n')
            c = getchar();
        if (c == EOF)
            break;
        ungetc(c, stdin);
        json_t *document = json_loadf(stdin, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
        if (!document) {
            printf("document %d: line %d: %s\n", count + 1, error.line, error.text);
            return 1;
        }
        json_decref(document);
        count++;
    }
    printf("%d documents\n", count);
    return count == 0;
}
