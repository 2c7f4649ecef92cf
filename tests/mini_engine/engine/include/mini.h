/* A language model of a few lines: a running hash of the tokens read so far decides what comes next. */
#ifndef MINI_H
#define MINI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MINI_TOKEN_BOS 1
#define MINI_TOKEN_BYTE 3 /* the token of byte b is b + 3 */
#define MINI_VOCAB 259

typedef struct {
    uint64_t seed;      /* the state before any token: a hash of the model file */
    uint64_t size;      /* of the file in bytes */
    int      recurrent; /* the state cannot be taken back to any earlier token, only to a saved one */
} mini_model;

/* Reads a model file; 0 when it is one. Its first line must begin with "mini-model", and may say "recurrent". */
int mini_load(const char * path, mini_model * model);

/* The state after one more token. */
uint64_t mini_step(uint64_t state, int token);

/* The token that is on the given rank in this state, 0 being the most probable one. */
int mini_candidate(uint64_t state, int rank);

/* The logarithm of that token's probability. */
double mini_logprob(uint64_t state, int rank);

/* The byte that a token stands for, -1 for one that stands for no text. */
int mini_byte(int token);

#ifdef __cplusplus
}
#endif
#endif
