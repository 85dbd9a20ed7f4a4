/**
 * What builds the sandbox from within, as root of namespaces of its own: a system that can only be read, a workspace in
 * memory, no network. The command runs one level further in, without any rights, among no processes but its own.
 *
 * Arguments: folder for the new root, files to begin with, folder for what is left, size of the workspace, how many bytes
 * and files are kept, folders that are not shown (one a line), the command, and what it is run by. Says on the third
 * stream "begun", "exit" with the code of the command, and then "kept" where all was copied, "large" where it is too much.
 */
export const script = `
set -eu
# Whatever the service was started with: only these four streams are anybody's here.
for fd in /proc/$$/fd/*; do
  fd=\${fd##*/}
  if [ "$fd" -gt 3 ]; then eval "exec $fd>&-"; fi
done
# On a machine that is short of memory the service is not the one that ends.
echo 1000 > /proc/self/oom_score_adj 2>/dev/null || true
root=$1 in=$2 size=$4 bytes=$5 files=$6 hidden=$7 command=$8
exec 9<"$3"
shift 8
mount -t tmpfs -o size=1m,nr_inodes=500,mode=755 none "$root"
cd "$root"
mkdir usr etc proc dev tmp workspace old
show() { mount --bind "/$1" "$1" && mount -o remount,bind,ro,nosuid,nodev "$1"; }
for one in bin sbin lib lib32 lib64 libx32 libexec share include local games; do
  if [ -L "/usr/$one" ]; then cp -P "/usr/$one" "usr/$one"; elif [ -d "/usr/$one" ]; then mkdir "usr/$one"; show "usr/$one"; fi
done
for one in bin sbin lib lib32 lib64 libx32; do
  if [ -L "/$one" ]; then cp -P "/$one" "$one"; elif [ -d "/$one" ]; then mkdir "$one"; show "$one"; fi
done
echo "$hidden" | while IFS= read -r one; do
  [ -n "$one" ] && [ -d ".$one" ] && mount -t tmpfs -o size=0,ro,mode=555 none ".$one" || true
done
for one in alternatives ld.so.cache ld.so.conf ld.so.conf.d localtime; do
  [ -e "/etc/$one" ] || continue
  if [ -d "/etc/$one" ]; then mkdir "etc/$one"; else touch "etc/$one"; fi
  show "etc/$one"
done
echo 'agent:x:1000:1000::/workspace:/bin/bash' > etc/passwd
echo 'agent:x:1000:' > etc/group
for one in null full random urandom; do touch "dev/$one"; mount --bind "/dev/$one" "dev/$one"; done
# As a file without content: as a device it would give memory that belongs to no file.
truncate -s 1T dev/zero
ln -s /proc/self/fd dev/fd
for one in workspace tmp; do mount -t tmpfs -o "size=$size,nr_inodes=20000,mode=700,nosuid,nodev" none $one; done
cp -R "$in/." workspace/
mount -t proc none proc
pivot_root . old
umount -l old
rmdir old
mount -o remount,bind,ro /
# One for the command, and none that it makes itself.
echo 1 > /proc/sys/user/max_user_namespaces
cd /workspace
echo begun >&3
code=0
# What the shell says of how it ended is none of the command's.
exec 8>&2 2>/dev/null
# In a session of its own: a signal to its group reaches nobody else.
unshare --user --map-user=1000 --map-group=1000 --mount --pid --fork --kill-child --mount-proc setsid \\
  setpriv --no-new-privs "$@" bash -c -- "$command" 2>&8 3>&- 8>&- 9>&- || code=$?
echo "exit $code" >&3
# As it will lie outside: each link as a file of its own, each hole filled.
sum=$(du -sl --apparent-size --block-size=1 . 2>/dev/null | cut -f1) || sum=
count=$(find . -printf . 2>/dev/null | wc -c)
if [ -z "$sum" ] || [ "$sum" -gt "$bytes" ] || [ "$count" -gt "$files" ]; then echo large >&3
elif cp -RP --no-preserve=all . /proc/self/fd/9/ 2>/dev/null; then echo kept >&3; fi
`;
