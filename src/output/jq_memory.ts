/** What a program is told that asks jq for more than the 256 MiB it has. */
export const outOfMemory = 'it needs more memory than jq has here'
