/* SPDX-License-Identifier: MIT */
/*
 * The matrix of the Cholesky example: random, symmetric, with a diagonal that outweighs the rest of its
 * row, hence positive definite. Any element can be generated at any time, so no copy is kept for the check.
 */
#include "cholesky.h"

#include <errno.h>
#include <stdlib.h>

/* In [-0.5, 0.5); splitmix64 of the position. */
static double matrix_random(uint64_t seed, uint64_t row, uint64_t column)
{
	uint64_t x = seed + 0x9e3779b97f4a7c15u * (row * 0x100000001b3u + column + 1);

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	x ^= x >> 31;
	return (double)(x >> 11) * 0x1p-53 - 0.5;
}

static double matrix_element(const struct matrix *m, size_t row, size_t column)
{
	double value = row > column ? matrix_random(m->seed, row, column) : matrix_random(m->seed, column, row);

	if (row == column)
		value += m->indefinite && row == m->n / 2 ? -(double)m->n : (double)m->n;
	return value;
}

size_t matrix_rows(const struct matrix *m, size_t i)
{
	return i + 1 < m->ntiles ? m->tile : m->n - i * m->tile;
}

double *matrix_tile(const struct matrix *m, size_t i, size_t j)
{
	return m->elements + (i * (i + 1) / 2 + j) * m->tile * m->tile;
}

void matrix_generate(const struct matrix *m, size_t i, size_t j, double *tile)
{
	size_t rows = matrix_rows(m, i), columns = matrix_rows(m, j);

	for (size_t c = 0; c < columns; c++)
		for (size_t r = 0; r < rows; r++)
			tile[r + c * rows] = matrix_element(m, i * m->tile + r, j * m->tile + c);
}

void matrix_generate_all(const struct matrix *m, double *elements)
{
	for (size_t c = 0; c < m->n; c++)
		for (size_t r = 0; r < m->n; r++)
			elements[r + c * m->n] = matrix_element(m, r, c);
}

int matrix_create(struct matrix *m)
{
	size_t count;

	m->ntiles = (m->n + m->tile - 1) / m->tile;
	count = m->ntiles * (m->ntiles + 1) / 2 * m->tile * m->tile;
	m->elements = malloc(count * sizeof *m->elements);
	if (!m->elements)
		return -ENOMEM;
	for (size_t i = 0; i < m->ntiles; i++)
		for (size_t j = 0; j <= i; j++)
			matrix_generate(m, i, j, matrix_tile(m, i, j));
	return 0;
}

void matrix_destroy(struct matrix *m)
{
	free(m->elements);
	m->elements = NULL;
}
