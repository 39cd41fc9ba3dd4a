/**
 * Windows PowerShell 5.1 and PowerShell 7. The line goes out as base64, because the shims that npm installs, and
 * PowerShell before 7.3, lose quotes and empty arguments.
 */
export const powershell = `# PowerShell completion for payctl

Register-ArgumentCompleter -Native -CommandName payctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = $commandAst.Extent.Text
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    $line = if ($length -lt $line.Length) { $line.Substring(0, $length) } else { $line.PadRight($length) }
    $encoded = [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($line))
    $encoding = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [Text.Encoding]::UTF8
        $answers = @(payctl __complete base64 $encoded 2>$null)
    } finally {
        [Console]::OutputEncoding = $encoding
    }
    if ($answers.Count -eq 0) { return '' }
    if ($answers[0] -eq ':files') { return }
    foreach ($answer in $answers) {
        $value, $about = $answer.Split([char]9, 2)
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
}
`
