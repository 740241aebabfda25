# The scheduler of pipelines, where libyaml is.
if HAVE_YAML
one_thread_tests += tests/pipeline/optimum
one_thread_scripts += tests/pipeline/command.sh
fuzz_tests += tests/fuzz/pipeline.fuzz
endif
# The schedules that the component reads.
fuzz_tests += tests/fuzz/schedule.fuzz
tests_fuzz_schedule_fuzz_LDADD = $(fuzz_libs)
fuzz_corpora += tests/fuzz/schedule.corpus

tests_pipeline_optimum_LDADD = libpipeline.la $(LDADD) -lm
tests_fuzz_pipeline_fuzz_LDADD = libpipeline.la $(fuzz_libs)
fuzz_corpora += tests/fuzz/pipeline.corpus
EXTRA_DIST += tests/pipeline/command.sh
