# Machines for the simulator: a file for each.
machinesdir = $(pkgdatadir)/machines
dist_machines_DATA = machines/attila.xym
dist_machines_DATA += machines/idgraf.xym
dist_machines_DATA += machines/mirage.xym
dist_machines_DATA += machines/mirage-12.xym
dist_machines_DATA += machines/huge.xym
dist_machines_DATA += machines/laptop.xym
dist_machines_DATA += machines/node-64-8.xym
