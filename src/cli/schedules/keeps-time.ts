/** What minds routines, reminders and forks in which nobody says anything, while it is open. */
export const keepsTime = 'the terminal UI, a chat, "bough daemon", "bough discord" or "bough serve"'
