# Converts the payroll that make.py has written, in this folder: bash make.sh
set -e
python3 make.py
work=$(mktemp -d)
# office LOCALE FILTER FILE: into $work
office() {
  mkdir -p "$work/$1/user"
  cat > "$work/$1/user/registrymodifications.xcu" <<XML
<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N">
<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>$1</value></prop></item></oor:items>
XML
  soffice --headless -env:UserInstallation="file://$work/$1" --convert-to "$2" --outdir "$work" "$3" > /dev/null
}
# csv FILE LOCALE SEPARATOR CHARSET (76: UTF-8, 1: Windows-1252, 65535: UTF-16): the first sheet, as shown
csv() {
  office "$2" "csv:Text - txt - csv (StarCalc):$3,34,$4,1,,0,false,true,true,false,false,1" payroll-libreoffice.xlsx
  mv "$work/payroll-libreoffice-Planilla.csv" "$1"
}

office en-US 'xlsx:Calc MS Excel 2007 XML' payroll-openpyxl.xlsx
mv "$work/payroll-openpyxl.xlsx" payroll-libreoffice.xlsx
ssconvert -T Gnumeric_Excel:xlsx payroll-libreoffice.xlsx payroll-gnumeric.xlsx
ssconvert -T Gnumeric_stf:stf_assistant -O 'separator=, eol=unix charset=UTF-8 format=automatic sheet=Planilla' \
  payroll-libreoffice.xlsx payroll-gnumeric.csv
csv payroll-es-cr.csv es-CR 59 76
csv payroll-es-windows-1252.csv es-ES 59 1
csv payroll-tab-utf-16.csv es-CR 9 65535
csv payroll-en-us.csv en-US 44 76
rm -r "$work"
