/**
 * Removes as many items of a list as possible while the rest is still enough. Tries halves, quarters and so on, then
 * single items, until none can be removed. Begins at the end of the list, because nothing depends on the last item.
 */
export async function fewest<T>(
  items: readonly T[],
  isEnough: (rest: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let list = items
  let size = Math.ceil(list.length / 2)
  while (size >= 1 && list.length > 0) {
    const before = list.length
    for (let end = list.length; end > 0; end -= size) {
      const rest = list.toSpliced(Math.max(0, end - size), Math.min(size, end))
      if (await isEnough(rest)) list = rest
    }
    if (size === 1 && list.length === before) break
    size = size === 1 ? 1 : Math.min(Math.ceil(size / 2), Math.ceil(list.length / 2))
  }
  return list
}
