#!/bin/sh
# An sshd of its own on the loopback address, for tests: sshd.sh FOLDER PORT
# FOLDER gets a host key, a user key (user_key) and the configuration. Runs until it is ended; only that key may log in.
set -eu
folder=$1
port=$2
sshd=$(command -v sshd || echo /usr/sbin/sshd)
mkdir -p "$folder"
chmod 700 "$folder"
for key in host_key user_key; do
    [ -f "$folder/$key" ] || ssh-keygen -q -t ed25519 -N '' -f "$folder/$key"
done
cp "$folder/user_key.pub" "$folder/authorized_keys"
cat > "$folder/sshd_config" <<END
ListenAddress 127.0.0.1
Port $port
HostKey $folder/host_key
AuthorizedKeysFile $folder/authorized_keys
PidFile $folder/sshd.pid
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
END
if [ "$(id -u)" = 0 ]; then mkdir -p /run/sshd; fi
exec "$sshd" -D -e -f "$folder/sshd_config"
