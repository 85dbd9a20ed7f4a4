/** What the kernel answers a command of the sandbox with a refusal: a filter of system calls (seccomp), as bytes for it. */

const [load, and, isEqual, isAtLeast, end] = [0x20, 0x54, 0x15, 0x35, 0x06];
const [killed, refused, allowed] = [0x80000000, 0x00050000, 0x7fff0000];
const [notPermitted, noMemory, noSuchFamily] = [1, 12, 97];
/** Of `struct seccomp_data`. */
const [callAt, machineAt, argumentsAt] = [0, 4, 16];
/** Shared and of no file. */
const sharedAnonymous = 0x21;
/** Local, IPv4, IPv6 and netlink: there is no network, but programs look for one. */
const families = [1, 2, 10, 16];

/** By its name at Node: its number at the kernel, and those of its system calls. */
const machines: Record<string, Machine> = {
  x64: {
    id: 0xc000003e,
    install: 157,
    mmap: 9,
    socket: 41,
    refused: [248, 249, 250, 29, 64, 68, 240, 319, 278, 203, 206, 323, 321, 298, 46, 307],
    counted: [213, 291, 253, 294, 300],
  },
  arm64: {
    id: 0xc00000b7,
    install: 167,
    mmap: 222,
    socket: 198,
    refused: [217, 218, 219, 194, 190, 186, 180, 279, 75, 122, 0, 282, 280, 241, 211, 269],
    counted: [20, 26, 262],
  },
};
interface Machine {
  id: number;
  /** `prctl`, which takes the filter. */
  install: number;
  mmap: number;
  socket: number;
  /**
   * In this order: `add_key`, `request_key`, `keyctl`: a keyring is the service's too. `shmget`, `semget`, `msgget`,
   * `mq_open`, `memfd_create`, `vmsplice`: memory that belongs to no process. `sched_setaffinity`: processors beyond the
   * plan's. `io_setup`: the machine has so many for all. `userfaultfd`, `bpf`, `perf_event_open`: nothing that a command
   * needs. `sendmsg`, `sendmmsg`: what is open could be handed to the service, which would have to close it.
   */
  refused: number[];
  /** epoll, inotify, fanotify: a user has so many for all that runs as it, and a service without any more ends. */
  counted: number[];
}
/** `memfd_secret` and the three of io_uring, which goes past a filter; the same on every machine. */
const refusedEverywhere = [447, 425, 426, 427];

export const isFilterable = () => Object.hasOwn(machines, process.arch);

/**
 * @param hasOwnUser nothing else runs as who the command runs as
 * @returns what a command is run by so that the filter holds for it and all that it begins
 */
export function toFilter(hasOwnUser: boolean): string[] {
  const known = machines[process.arch]!;
  const numbers = [...known.refused, ...(hasOwnUser ? [] : known.counted), ...refusedEverywhere];
  return ['perl', '-e', installer, String(known.install), toBytes(known, numbers).toString('hex')];
}

/** Node cannot ask the kernel for it, nor can util-linux before 2.41. */
const installer = `
my ($number, $filter) = splice @ARGV, 0, 2;
$filter = pack 'H*', $filter;
my $program = pack 'S x![P] P', length($filter) / 8, $filter;
# No page is larger than it looks: part of one in use keeps the whole.
syscall($number + 0, 41, 1, 0, 0, 0);
syscall($number + 0, 22, 2, $program) == 0 or die "No filter: $!\\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";
`;

function toBytes({ id, mmap, socket }: Machine, numbers: readonly number[]): Buffer {
  const refuse = (error: number) => step(end, refused | error);
  return Buffer.concat([
    step(load, machineAt),
    step(isEqual, id, 1, 0),
    step(end, killed),
    step(load, callAt),
    // Another set of numbers for the same calls begins there.
    step(isAtLeast, 0x40000000, 0, 1),
    refuse(notPermitted),
    ...numbers.flatMap((one) => [step(isEqual, one, 0, 1), refuse(notPermitted)]),
    step(isEqual, mmap, 0, 5),
    step(load, toArgument(3)),
    step(and, sharedAnonymous),
    step(isEqual, sharedAnonymous, 0, 1),
    refuse(noMemory),
    step(end, allowed),
    step(isEqual, socket, 1, 0),
    step(end, allowed),
    step(load, toArgument(0)),
    ...families.flatMap((one) => [step(isEqual, one, 0, 1), step(end, allowed)]),
    refuse(noSuchFamily),
  ]);
}

const toArgument = (index: number) => argumentsAt + 8 * index;

/** @param yes how many steps are passed over where it holds; `no`: where not */
function step(code: number, value: number, yes = 0, no = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
