# Machines for the simulator: a file for each.
machinesdir = $(pkgdatadir)/machines
dist_machines_DATA = machines/apart-3.xym
dist_machines_DATA += machines/attila.xym
dist_machines_DATA += machines/idgraf.xym
dist_machines_DATA += machines/mirage.xym
dist_machines_DATA += machines/mirage-12.xym
dist_machines_DATA += machines/huge.xym
dist_machines_DATA += machines/laptop.xym
dist_machines_DATA += machines/node-64-8.xym
dist_machines_DATA += machines/node-64-4.xym

# Programs that are not installed find them beside the build.
all-local: machines-beside-the-build
machines-beside-the-build:
	@test -e machines || $(LN_S) $(srcdir)/machines machines
distclean-local:
	test ! -L machines || rm -f machines
.PHONY: machines-beside-the-build
