/* A library with a model of a few numbers: what is asked of a real one in little, and faults on demand.

   TOY_FAULT names one. Each is of a sort that real engines had. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <time.h>

#define VOCABULARY 16
#define WIDTH 8
#define SEQUENCES 8

typedef void (*on_result)(const char * name, const char * op, const float * data, int count);

typedef struct {
    float     state[SEQUENCES][WIDTH];
    int       length[SEQUENCES];
    on_result tell;
    int       cells;
    char *    cache;
} toy;

static int is_faulty(const char * name) {
    const char * value = getenv("TOY_FAULT");
    return value != NULL && strcmp(value, name) == 0;
}

static float weight(int row, int column) { return (float) ((row * 31 + column * 17) % 23 - 11) / 11.0f; }

int toy_vocabulary(void) { return VOCABULARY; }

toy * toy_open(int cells) {
    toy * it  = calloc(1, sizeof(toy));
    it->cells = cells;
    it->cache = malloc((size_t) cells * (is_faulty("hungry") ? 1024 : 64));
    memset(it->cache, 1, (size_t) cells * (is_faulty("hungry") ? 1024 : 64));
    return it;
}

void toy_close(toy * it) {
    if (!is_faulty("leak")) {
        free(it->cache);
    }
    free(it);
}

int toy_cache_bytes(toy * it) { return it->cells * 64; }

void toy_trace(toy * it, on_result tell) { it->tell = tell; }

static void result(toy * it, const char * name, const char * op, const float * data, int count) {
    if (it->tell != NULL) {
        it->tell(name, op, data, count);
    }
}

/* Reads tokens into a sequence, `count` at a time, and writes a row of logits for each. */
int toy_decode(toy * it, int sequence, const int * ids, int count, float * rows) {
    if (is_faulty("crash")) {
        abort();
    }
    while (is_faulty("hang")) {
        pause();
    }
    if (is_faulty("refuse")) {
        return 1;
    }
    if (is_faulty("chatty")) {
        printf("{\"played\": {}}\n");
        fflush(stdout);
    }
    float * all = malloc(sizeof(float) * (size_t) count * WIDTH);
    for (int at = 0; at < count; at++) {
        float * state = it->state[sequence];
        for (int i = 0; i < WIDTH; i++) {
            state[i] = 0.5f * state[i] + 0.25f * weight(ids[at], i);
        }
        memcpy(all + at * WIDTH, state, sizeof(float) * WIDTH);
        it->length[sequence]++;
    }
    result(it, "mixed-0", "MUL_ADD", all, count * WIDTH);
    for (int at = 0; at < count; at++) {
        for (int token = 0; token < VOCABULARY; token++) {
            float sum = 0.0f;
            for (int i = 0; i < WIDTH - is_faulty("kernel"); i++) {
                sum += all[at * WIDTH + i] * weight(token + 3, i);
            }
            if (is_faulty("width") && count > 1) {
                sum += 1e-6f;
            }
            if (is_faulty("each-time")) {
                struct timespec now; /* a process id is no chance: in a sandbox it is always the same */
                clock_gettime(CLOCK_REALTIME, &now);
                sum += (float) (now.tv_nsec % 997) * 1e-5f;
            }
            rows[at * VOCABULARY + token] = is_faulty("not-a-number") ? NAN : is_faulty("flat") ? 1.0f : sum;
        }
    }
    result(it, "result_output", "MUL_MAT", rows, count * VOCABULARY);
    if (is_faulty("more-work")) {
        result(it, "extra", "ADD", rows, count * VOCABULARY);
    }
    free(all);
    return 0;
}

int toy_length(toy * it, int sequence) { return it->length[sequence]; }

void toy_remove(toy * it, int sequence) {
    memset(it->state[sequence], 0, sizeof it->state[sequence]);
    it->length[sequence] = 0;
}

int toy_state_size(void) { return (int) (sizeof(float) * WIDTH + sizeof(int)); }

void toy_save(toy * it, int sequence, char * out) {
    memcpy(out, it->state[sequence], sizeof it->state[sequence]);
    memcpy(out + sizeof it->state[sequence], &it->length[sequence], sizeof(int));
}

int toy_restore(toy * it, int sequence, const char * state) {
    if (is_faulty("will-not-restore")) {
        return 1;
    }
    memcpy(it->state[sequence], state, sizeof it->state[sequence]);
    memcpy(&it->length[sequence], state + sizeof it->state[sequence], sizeof(int));
    if (is_faulty("drops-a-cell")) {
        it->state[sequence][3] = 0.0f;
    }
    return 0;
}
