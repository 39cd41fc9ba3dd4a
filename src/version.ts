import manifest from '../package.json' with { type: 'json' }

export const version: string = manifest.version

/**
 * Hint for a file that a newer payctl has written. The text does not name a command, because this payctl may be an npm
 * package, a single file or an image.
 */
export const howToUpdate = 'Install a newer payctl in the same way as this one'
