#include "mini.h"

#include <stdio.h>

int main(void) {
    printf("%d\n", mini_candidate(0, 0));
    return 0;
}
