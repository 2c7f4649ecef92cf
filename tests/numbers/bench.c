/* A stand-in for llama-bench: the functions at which a run's parts are told apart, with work between them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned long sum;

static void work(long steps) {
    for (long i = 0; i < steps; i++) {
        sum += (unsigned long) i * 2654435761u;
    }
}

void llama_init_from_model(void) {
    work(1000);
}

void ggml_threadpool_new(void) {
    sum++;
}

void llama_free(void) {
    sum--;
}

int main(void) {
    const char * fake = getenv("FAKE");
    const int    slow = fake != NULL && strcmp(fake, "slow") == 0;
    const int    lost = fake != NULL && strcmp(fake, "lost") == 0;
    work(20000);
    for (int test = 0; test < 2; test++) {
        llama_init_from_model();
        if (!(lost && test == 1)) {
            ggml_threadpool_new();
        }
        work(slow && test == 1 ? 105000 : 100000);
        llama_free();
    }
    FILE * said = fopen(SAID, "r");
    for (int c; said != NULL && (c = fgetc(said)) != EOF;) {
        putchar(c);
    }
    return 0;
}
