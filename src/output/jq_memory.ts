/** Error for a jq program that needs more than the 256 MiB it gets. */
export const outOfMemory = 'it needs more memory than jq has here'
