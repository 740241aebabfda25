# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# A private SLURM on loopback for tests: cluster_start FOLDER NODES [GPUS], cluster_stop FOLDER. All its files and process
# ids are in the folder. GPUs, so many in each node, are null devices. Without munge: only this test's processes know its ports.

# cluster_missing: prints why there can be no cluster, if so.
cluster_missing() {
	[ "$(id -u)" = 0 ] || echo "needs root"
	for program in slurmctld slurmd sbatch squeue scancel sinfo python3; do
		command -v $program >/dev/null || echo "there is no $program"
	done
	[ -e "$(cluster_plugins)/auth_none.so" ] || echo "there is no auth_none plug-in"
}

cluster_plugins() {
	for folder in /usr/lib/*/slurm-wlm /usr/lib64/slurm /usr/lib/slurm; do
		[ ! -d "$folder" ] || {
			echo "$folder"
			return
		}
	done
}

# Ports that nothing uses: a random range, checked by binding.
cluster_ports() {
	python3 -c '
import random, socket, sys
n = int(sys.argv[1])
for attempt in range(200):
    base = random.randrange(20000, 32000 - n)
    sockets = []
    try:
        for i in range(n):
            s = socket.socket()
            s.bind(("127.0.0.1", base + i))
            sockets.append(s)
    except OSError:
        continue
    finally:
        for s in sockets:
            s.close()
    print(base)
    break' "$1"
}

# SLURM wants distinct devices for GPUs.
cluster_gpus() {
	mkdir -p "$1/dev"
	gpu=0
	while [ $gpu -lt "$2" ]; do
		mknod "$1/dev/gpu$gpu" c 1 3
		gpu=$((gpu + 1))
	done
}

cluster_conf() {
	mkdir -p "$1/state" "$1/spool" "$1/log" "$1/run"
	chmod 755 "$1"
	port=$(cluster_ports $(($2 + 1)))
	cat >"$1/slurm.conf" <<C
ClusterName=farm
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool/%n
SlurmctldPidFile=$1/run/slurmctld.pid
SlurmdPidFile=$1/run/slurmd-%n.pid
SlurmctldLogFile=$1/log/slurmctld.log
SlurmdLogFile=$1/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
ReturnToService=2
KillWait=30
SlurmdParameters=config_overrides
PluginDir=$(cluster_plugins)
GresTypes=gpu
NodeName=DEFAULT CPUs=4 RealMemory=1000 ${3:+Gres=gpu:fake:$3} State=UNKNOWN
C
	: >"$1/gres.conf"
	[ -z "$3" ] || cluster_gpus "$1" "$3"
	node=1
	while [ $node -le "$2" ]; do
		[ -z "$3" ] || echo "NodeName=n$node Name=gpu Type=fake File=$1/dev/gpu[0-$(($3 - 1))]" >>"$1/gres.conf"
		echo "NodeName=n$node NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + node))" >>"$1/slurm.conf"
		node=$((node + 1))
	done
	echo "PartitionName=test Nodes=n[1-$2] Default=YES MaxTime=INFINITE State=UP" >>"$1/slurm.conf"
}

cluster_start() {
	cluster_conf "$1" "$2" "$3"
	SLURM_CONF=$1/slurm.conf
	export SLURM_CONF
	slurmctld -c >>"$1/log/start" 2>&1 || return 1
	node=1
	while [ $node -le "$2" ]; do
		slurmd -N n$node >>"$1/log/start" 2>&1 || return 1
		node=$((node + 1))
	done
	tries=0
	while [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" != "$2" ]; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || return 1
		sleep 0.1
	done
}

cluster_lives() {
	[ "$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null | grep -v Z)" ]
}

# The controller first: it would wait for nodes that are gone.
cluster_stop() {
	scancel -u root >/dev/null 2>&1
	sleep 0.5
	for file in "$1"/run/slurmctld.pid "$1"/run/slurmd-*.pid; do
		[ -s "$file" ] || continue
		pid=$(cat "$file")
		kill "$pid" 2>/dev/null
		tries=0
		while cluster_lives "$pid" && [ $tries -lt 100 ]; do
			sleep 0.05
			tries=$((tries + 1))
		done
		! cluster_lives "$pid" || kill -9 "$pid"
	done
}

# cluster_begin NODES: makes $work and starts the cluster in $cluster for a test, which ends with both; skips the test, with
# the reason, where that is not possible.
cluster_begin() {
	[ -z "$missing" ] || {
		echo "skipped: $missing"
		exit 77
	}
	work=$(mktemp -d) || exit 99
	cluster=$(mktemp -d) || exit 99
	trap 'cluster_stop "$cluster"; rm -rf "$work" "$cluster"' EXIT
	trap 'exit 99' INT TERM HUP
	cluster_start "$cluster" "$1" || {
		echo "skipped: SLURM does not start here:"
		cat "$cluster"/log/*
		exit 77
	}
}
