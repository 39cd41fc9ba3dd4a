// Replaces the string-width package that cli-table3 uses, which is five versions old. Tables must be padded with the
// same width function that cuts their cells.
const { textWidth } = require('../src/run/cell_lines.ts')

module.exports = textWidth
