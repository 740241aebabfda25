# The command line tool and its subcommands: bin_PROGRAMS += xylem, xylem_SOURCES = ..., and
# xylem_LDADD = libxylem.la, as it uses the public interface only.
