/**
 * Opens a page in the user's browser: the system's own, or the command in `BROWSER`, as other tools take it. Says
 * whether one was started; whether it shows the page nobody can tell.
 */
export async function openBrowser(url: string, command: string | undefined): Promise<boolean> {
  const { default: open } = await import('open')
  const [name = '', ...args] = (command ?? '').split(/\s+/).filter((word) => word !== '')
  try {
    await open(url, name === '' ? {} : { app: { name, arguments: args } })
    return true
  } catch {
    return false
  }
}
