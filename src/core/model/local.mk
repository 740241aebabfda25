# Performance models of tasks.
libxylem_all_la_SOURCES += src/core/model/model.c src/core/model/model.h
libxylem_all_la_SOURCES += src/core/model/model_state.c
libxylem_all_la_SOURCES += src/core/model/predict.c src/core/model/predict.h
