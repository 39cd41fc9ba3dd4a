# Writes the workbooks and a CSV: what support staff keep, with what goes wrong in such lists.
import csv
import datetime
import openpyxl

heading = ['Nombre', 'Cédula', 'Teléfono', 'Cuenta IBAN', 'Monto', 'Alta', 'Nota']
day = datetime.date(2026, 3, 9)
rows = [
    ('Carlos Jiménez Mora', 104560789, 87000001, 'CR73 0151 0010 0000 0000 01', 1500.25, day, 'VIP; llama "siempre"'),
    ('Ana Lucía Vargas Solano', '0-1034-0567', '+506 8700-0002', 'CR70015200100000000002', 1234.1, day, '=1+1'),
    ('Ferretería El Roble S.A.', '3-101-123456', '(506) 8700 0003', None, 0.1,
     datetime.datetime(2026, 3, 9, 14, 30), 'dos\nlíneas'),
    (None,) * 7,
    ('Peña & Núñez <Ltda>', 304930258, '8700-9999', 'CR97 0152 0010 0000 0000 01', -250000, day, None),
    ('Sin teléfono', None, None, None, 99999999.99, None, '-'),
    ('Carlos otra vez', 104560789, '506 87000001', None, 0.01, None, '@home'),
]

book = openpyxl.Workbook()
sheet = book.active
sheet.title = 'Clientes'
sheet.append(heading)
for row in rows:
    sheet.append(row)
sheet['G3'].data_type = 's'
for number in range(2, 9):
    sheet.cell(number, 5).number_format = '[$₡-140A]#,##0.00'
    sheet.cell(number, 2).number_format = '0000000000'
sheet['E3'].number_format = '#,##0.00'
sheet['F4'].number_format = 'yyyy-mm-dd hh:mm'
sheet.row_dimensions[7].hidden = True
book.create_sheet('Notas').append(['otra', 'hoja'])
hidden = book.create_sheet('Oculta', 0)
hidden.append(['Teléfono'])
hidden.append([80000000])
hidden.sheet_state = 'hidden'
book.active = 1
book.save('customers-openpyxl.xlsx')

# Under a title: sums that do not end in two decimals as floats, and errors in cells that nobody needs.
book = openpyxl.Workbook()
sheet = book.active
sheet.title = 'Pagos'
sheet.append(['Pagos, marzo de 2026'])
sheet.merge_cells('A1:D1')
sheet.append([])
sheet.append(['Teléfono', 'Monto', 'Suma', 'Buscado'])
sheet.append([87000001, 1500.25, '=B4+0.1', '=VLOOKUP("x",A1:A2,1,0)'])
sheet.append([87000002, 100.10, '=B5*3', '=1/0'])
sheet.append(['8700-0003', 0.07, '=B6*100', '=CONCATENATE("a","ñ")'])
sheet.append([87000004, 1000, '=B7/3', True])
book.save('sums-openpyxl.xlsx')

# As Excel writes it where the comma is for decimals, with the line that names the separator.
with open('customers-python.csv', 'w', encoding='utf-8-sig', newline='') as file:
    file.write('sep=;\r\n')
    writer = csv.writer(file, dialect='excel', delimiter=';')
    writer.writerow(heading)
    for row in rows:
        writer.writerow([str(cell).replace('.', ',') if isinstance(cell, float) else cell for cell in row])
