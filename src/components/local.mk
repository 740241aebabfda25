# One file per component; all.c is the table. cutter, devices, estimate, reservoir, soonest and spread are shared by
# several.
libxylem_all_la_SOURCES += \
	src/components/all.c src/components/all.h \
	src/components/balance/balance.c src/components/balance/balance.h \
	src/components/balance/balance_choose.c src/components/balance/balance_measure.c \
	src/components/best_implementation.c \
	src/components/cambium/cambium.c src/components/cambium/cambium.h \
	src/components/cambium/cambium_choose.c src/components/cambium/cambium_hold.c src/components/cambium/cambium_near.c \
	src/components/cambium/cambium_price.c src/components/cambium/cambium_seats.c \
	src/components/cambium/cambium_store.c src/components/cambium/cambium_view.c \
	src/components/cutter.c src/components/cutter.h \
	src/components/devices.c src/components/devices.h \
	src/components/divide.c \
	src/components/eager.c \
	src/components/eager_calibration.c \
	src/components/eager_prio.c \
	src/components/estimate.c src/components/estimate.h \
	src/components/fifo.c \
	src/components/heft.c \
	src/components/heteroprio.c \
	src/components/hybrid/hybrid.c src/components/hybrid/hybrid.h src/components/hybrid/hybrid_options.c \
	src/components/in_order.c \
	src/components/mct.c src/components/mct.h \
	src/components/parallel_worker.c src/components/parallel_worker.h \
	src/components/perfmodel_select.c \
	src/components/pipeline.c \
	src/components/prio.c \
	src/components/random.c \
	src/components/rehearse.c \
	src/components/reservoir.c src/components/reservoir.h src/components/reservoir_setup.c \
	src/components/pipeline_schedule.c src/components/pipeline_schedule.h \
	src/components/slowness.c src/components/slowness.h \
	src/components/share.c src/components/share.h \
	src/components/soonest.c src/components/soonest.h \
	src/components/spread.c src/components/spread.h \
	src/components/stage.c \
	src/components/throughput.c src/components/throughput.h \
	src/components/userchoice.c \
	src/components/work_stealing.c \
	src/components/worker.c src/components/worker.h
