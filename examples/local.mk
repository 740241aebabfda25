# Programs that use the public interface only, built by `make` and not installed:
#   noinst_PROGRAMS += examples/hello
#   examples_hello_LDADD = libxylem.la
# examples/cholesky adds $(BLAS_CFLAGS) and $(BLAS_LIBS); HAVE_BLAS says whether there is one.
