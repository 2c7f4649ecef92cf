#include "mini.h"

#include <stdio.h>
#include <string.h>

static uint64_t mix(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

int mini_load(const char * path, mini_model * model) {
    FILE * file = fopen(path, "rb");
    if (file == NULL) {
        return 1;
    }
    char line[128] = {0};
    if (fgets(line, sizeof line, file) == NULL || strncmp(line, "mini-model", 10) != 0) {
        fclose(file);
        return 2;
    }
    model->recurrent = strstr(line, "recurrent") != NULL;
    model->seed = 0xcbf29ce484222325ULL;
    model->size = 0;
    rewind(file);
    for (int byte; (byte = fgetc(file)) != EOF; model->size++) {
        model->seed = (model->seed ^ (uint64_t) byte) * 0x100000001b3ULL;
    }
    fclose(file);
    return 0;
}

uint64_t mini_step(uint64_t state, int token) {
    return mix(state + 0x9e3779b97f4a7c15ULL * (uint64_t) (token + 1));
}

int mini_candidate(uint64_t state, int rank) {
    /* lower-case letters and the space, rotated: no two ranks give the same token */
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz ";
    const size_t      letters    = sizeof alphabet - 1;
    return MINI_TOKEN_BYTE + alphabet[(mix(state) + (uint64_t) rank * 7) % letters];
}

double mini_logprob(uint64_t state, int rank) {
    return -0.5 - 0.75 * rank - (double) (mix(state ^ 0x55) % 1000) / 4000.0;
}
