import type { Confinement, RealRule } from './rule.ts'

/** A user that exists everywhere and owns nothing. */
const nobody = '65534'

/**
 * The arguments of `bwrap` for a program. The sandbox has processes, a terminal and a user namespace of its own, and no
 * capabilities. When bubblewrap ends, all its processes end.
 */
export function bubblewrapArgs(
  { rules, cwd, temporary, network }: Confinement,
  { asRoot }: { readonly asRoot: boolean },
): readonly string[] {
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network === 'own' ? ['--unshare-net'] : []),
    ...['--cap-drop', 'ALL', '--die-with-parent', '--new-session'],
    // Otherwise the kernel refuses a sandbox inside of this one, and Codex starts one for its commands.
    ...(asRoot ? ['--uid', nobody, '--gid', nobody] : []),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...rules.flatMap(mountOf),
    ...['--dir', temporary],
    // Last: mounts below these need their mount points first.
    ...rules.flatMap(({ path, access, isDirectory }) =>
      access === 'hidden' && isDirectory ? ['--remount-ro', path] : [],
    ),
    ...['--chdir', cwd, '--'],
  ]
}

// What has gone since it was looked for is left out.
function mountOf({ path, access, isDirectory }: RealRule): readonly string[] {
  switch (access) {
    case 'write':
      return ['--bind-try', path, path]
    case 'read':
      return ['--ro-bind-try', path, path]
    case 'scratch':
    case 'hidden':
      return isDirectory ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]
  }
}
