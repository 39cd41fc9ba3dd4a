# Converts what make.py has written, in this folder: bash make.sh
set -e
python3 make.py
work=$(mktemp -d)
# office LOCALE FILTER FILE...: into $work
office() {
  local locale=$1 filter=$2
  shift 2
  mkdir -p "$work/$locale/user"
  cat > "$work/$locale/user/registrymodifications.xcu" <<XML
<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N">
<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>$locale</value></prop></item></oor:items>
XML
  soffice --headless -env:UserInstallation="file://$work/$locale" --convert-to "$filter" --outdir "$work" "$@" > /dev/null
}
# Separator, quote, charset (76: UTF-8, 1: Windows-1252, 65535: UTF-16), first line, columns, language, quote all, as shown
# (twice), formulas, no spaces, second sheet
csv() { office "$2" "csv:Text - txt - csv (StarCalc):$3,34,$4,1,,0,false,true,true,false,false,2" customers-libreoffice.xlsx; mv "$work/customers-libreoffice-Clientes.csv" "$1"; }

for name in customers sums; do
  office en-US 'xlsx:Calc MS Excel 2007 XML' $name-openpyxl.xlsx
  mv "$work/$name-openpyxl.xlsx" $name-libreoffice.xlsx
  ssconvert -T Gnumeric_Excel:xlsx $name-libreoffice.xlsx $name-gnumeric.xlsx
done
ssconvert -T Gnumeric_stf:stf_assistant -O 'separator=| eol=windows charset=UTF-8 format=raw sheet=Clientes' \
  customers-libreoffice.xlsx customers-gnumeric-pipe.csv
csv customers-es-cr.csv es-CR 59 76
csv customers-es-windows-1252.csv es-ES 59 1
csv customers-tab-utf-16.csv es-ES 9 65535
csv customers-en-us.csv en-US 44 76
office en-US ods customers-libreoffice.xlsx
office en-US 'xls:MS Excel 97' customers-libreoffice.xlsx
mv "$work/customers-libreoffice.ods" customers.ods
mv "$work/customers-libreoffice.xls" customers.xls
rm -r "$work"
