const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** As text or as an attribute in quotation marks. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

/** The same for XML 1.0, without the characters that it cannot hold. */
export const escapeXml = (text: string): string => escapeHtml(text.toWellFormed().replace(notXml, ''))

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML has three of them only
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
