#!/usr/bin/env bash
# A Slurm of its own on this machine for as long as its input is open: munged, a controller and two nodes, n1 and n2, of one
# processor each, in a folder of their own and on ports that are free. Prints "ready FOLDER" when nodes take jobs; FOLDER/slurm.conf
# is for SLURM_CONF. A node is a process namespace: kill -9 of the process in FOLDER/n2.pid ends everything on it at once, as a power
# cut does. Needs slurmctld, slurmd, slurm-client and munge, and the right to make namespaces (root). Prints why and returns 77 where
# it cannot begin.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

for program in munged slurmctld slurmd sbatch squeue scancel sinfo unshare python3; do
    command -v "$program" > /dev/null || { echo "no $program (needed: slurmctld, slurmd, slurm-client, munge, python3)"; exit 77; }
done
unshare --pid --fork --mount-proc true 2> /dev/null || { echo "no right to make process namespaces (root has it)"; exit 77; }

folder=$(mktemp -d "${TMPDIR:-/tmp}/headscope-slurm.XXXXXX")
chmod 755 "$folder"
mkdir "$folder/state" "$folder/munge"
pids=()

stop() {
    trap '' INT TERM
    [ ${#pids[@]} = 0 ] || kill -9 "${pids[@]}" 2> /dev/null || true
    wait 2> /dev/null || true
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 1' INT TERM

free_ports() {
    python3 - << 'END'
import socket
held = [socket.socket() for _ in range(3)]
for one in held:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in held))
END
}
read -r controller_port first_port second_port < <(free_ports)
host=$(hostname -s)
user=$(id -un)

head -c 128 /dev/urandom > "$folder/munge/key"
chmod 400 "$folder/munge/key"
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" --num-threads=2 > "$folder/munge/out" 2>&1 < /dev/null &
pids+=($!)

cat > "$folder/slurm.conf" << END
ClusterName=headscope
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller_port
SlurmUser=$user
SlurmdUser=$user
AuthInfo=socket=$folder/munge/socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.daemon
SlurmdPidFile=$folder/%n.daemon
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=6
KillWait=2
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$first_port CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$second_port CPUs=1
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$folder/slurm.conf

until [ -S "$folder/munge/socket" ]; do
    kill -0 "${pids[0]}" 2> /dev/null || { cat "$folder/munge/out" "$folder/munge/log"; exit 1; }
    sleep 0.1
done
slurmctld -D > "$folder/slurmctld.out" 2>&1 < /dev/null &
pids+=($!)
for node in n1 n2; do
    mkdir "$folder/spool-$node"
    unshare --pid --fork --kill-child --mount-proc slurmd -D -N "$node" > "$folder/$node.out" 2>&1 < /dev/null &
    pids+=($!)
    echo $! > "$folder/$node.pid"
done
for ((tries = 0; ; ++tries)); do
    [ "$(sinfo --noheader --Node --format=%T 2> /dev/null | grep -c '^idle$')" = 2 ] && break
    if [ "$tries" = 300 ]; then
        tail -n 20 "$folder"/*.log "$folder"/*.out
        exit 1
    fi
    sleep 0.2
done
echo "ready $folder"
cat > /dev/null
