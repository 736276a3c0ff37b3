/* The 15-puzzle by IDA* with the Manhattan distance, as Korf (1985) describes it: plain C for this puzzle alone, to
 * compare a general engine with. It shares no code with gridhunt.
 *
 *     cc -O2 -o fifteen fifteen.c && ./fifteen <FILE
 *
 * A line of FILE has a number and the 16 tiles row by row, 0 the gap; what follows is ignored. In the end each tile is
 * in the place with its number. The gap slides up, left, right and down, in this order, and never straight back.
 *
 * A line of output has the number, the optimum, the nodes expanded and generated, the seconds, and the nodes generated
 * as Korf counts them. The first two counts are those of an engine that generates all children of a node, and looks for
 * the goal among them, before it goes on with one of them. Korf generates one child after the other, so he counts
 * nothing behind the solution, and he counts the root. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int tiles[16];       /* the tile in each place */
static int ways[16][5];     /* the places to which the gap may slide from each place, then -1 */
static int change[16][16][16]; /* of the distance, when a tile slides from a place to another one */
static int threshold, next_threshold;
static unsigned long long expanded, generated, brothers;

static int distance(int place, int other) { return abs(place / 4 - other / 4) + abs(place % 4 - other % 4); }

static void prepare(void)
{
    for (int place = 0; place < 16; place++) {
        int *way = ways[place];
        if (place >= 4) *way++ = place - 4;
        if (place % 4 > 0) *way++ = place - 1;
        if (place % 4 < 3) *way++ = place + 1;
        if (place < 12) *way++ = place + 4;
        *way = -1;
        for (int tile = 1; tile < 16; tile++)
            for (int to = 0; to < 16; to++)
                change[tile][place][to] = distance(to, tile) - distance(place, tile);
    }
}

/* The children that are left when the solution is found. */
static int count_brothers(const int *to, int from)
{
    for (; *to >= 0; to++) brothers += *to != from;
    return 1;
}

/* Whether a solution within the threshold goes on from here. `from` is where the gap was before. */
static int search(int gap, int from, int g, int h)
{
    expanded++;
    for (const int *to = ways[gap]; *to >= 0; to++) {
        if (*to == from) continue;
        generated++;
        int tile = tiles[*to], child = h + change[tile][*to][gap];
        if (child == 0) return count_brothers(to + 1, from);
        if (g + 1 + child > threshold) {
            if (g + 1 + child < next_threshold) next_threshold = g + 1 + child;
            continue;
        }
        tiles[gap] = tile;
        int found = search(*to, gap, g + 1, child);
        tiles[*to] = tile;
        if (found) return count_brothers(to + 1, from);
    }
    return 0;
}

int main(void)
{
    int number;
    prepare();
    while (scanf("%d", &number) == 1) {
        int gap = 0, h = 0;
        for (int place = 0; place < 16; place++) {
            if (scanf("%d", &tiles[place]) != 1 || tiles[place] < 0 || tiles[place] > 15) {
                fprintf(stderr, "fifteen: %d: expected 16 tiles from 0 to 15\n", number);
                return 2;
            }
            if (tiles[place] == 0) gap = place;
            else h += distance(place, tiles[place]);
        }
        scanf("%*[^\n]");
        expanded = generated = brothers = 0;
        clock_t began = clock();
        threshold = h;
        while (h > 0) {
            next_threshold = 1000;
            if (search(gap, -1, 0, h)) break;
            threshold = next_threshold;
        }
        printf("%d %d %llu %llu %.3f %llu\n", number, threshold, expanded, generated + brothers,
               (double)(clock() - began) / CLOCKS_PER_SEC, generated + 1);
        fflush(stdout);
    }
    return 0;
}
