/* The engine's own tests, one a name; `flaky` stands for one that this machine cannot run. */
#include "mini.h"

#include <stdio.h>
#include <string.h>

static int check(int holds, const char * what) {
    printf("%s: %s\n", what, holds ? "ok" : "wrong");
    return holds ? 0 : 1;
}

int main(int count, char ** words) {
    const char * name = count > 1 ? words[1] : "";
    if (strcmp(name, "step") == 0) {
        return check(mini_step(1, 2) != mini_step(1, 3), "a step depends on its token");
    }
    if (strcmp(name, "byte") == 0) {
        return check(mini_byte(MINI_TOKEN_BYTE + 'a') == 'a' && mini_byte(MINI_TOKEN_BOS) == -1, "bytes are tokens");
    }
    if (strcmp(name, "rank") == 0) {
        return check(mini_candidate(7, 0) != mini_candidate(7, 1), "ranks differ");
    }
    if (strcmp(name, "file") == 0 && count > 2) {
        FILE * file = fopen(words[2], "rb");
        if (file != NULL) {
            fclose(file);
        }
        return check(file != NULL, "the model is where it is looked for");
    }
    return strcmp(name, "flaky") == 0 ? 77 : 2;
}
