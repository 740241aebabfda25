# Machines for the simulator: a file for each.
machinesdir = $(pkgdatadir)/machines
dist_machines_DATA = machines/attila.xym
dist_machines_DATA += machines/idgraf.xym
dist_machines_DATA += machines/mirage.xym
dist_machines_DATA += machines/mirage-12.xym
