/** Ways to programs outside of the sandbox: agents for keys, the desktop, containers. */
const doors = [
  ...['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GPG_AGENT_INFO', 'GNOME_KEYRING_CONTROL', 'XAUTHORITY'],
  ...['DBUS_SESSION_BUS_ADDRESS', 'DBUS_SYSTEM_BUS_ADDRESS', 'DISPLAY', 'WAYLAND_DISPLAY', 'XDG_RUNTIME_DIR'],
  ...['DOCKER_HOST', 'CONTAINER_HOST', 'PODMAN_HOST', 'TMUX', 'STY', 'VSCODE_IPC_HOOK_CLI', 'NVIM'],
]

const secret =
  /TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|^PGPASS|_AUTH$|_DSN$|^DATABASE_URL$/i

/** The environment without the person's secrets, and without bough's own variables; `keeps` names those that the agent needs. */
export function cleanEnvironment(
  env: NodeJS.ProcessEnv,
  keeps: (name: string) => boolean,
): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => keeps(name) || !isSecret(name)))
}

const isSecret = (name: string): boolean =>
  doors.includes(name) || secret.test(name) || name.startsWith('BOUGH_')
