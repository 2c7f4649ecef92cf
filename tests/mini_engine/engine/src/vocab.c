#include "mini.h"

int mini_byte(int token) {
    return token >= MINI_TOKEN_BYTE && token < MINI_VOCAB ? token - MINI_TOKEN_BYTE : -1;
}
