# The library inside jobs.
one_thread_tests += tests/job/job
tests_job_job_LDADD = libxylem-farm-all.la $(CMOCKA_LIBS) -lm
one_thread_scripts += tests/job/python.sh
EXTRA_DIST += tests/job/python.py
