# Writes a payroll as an office keeps it: a workbook, and a CSV as Excel writes it where the comma is for decimals.
import csv
import datetime
import openpyxl

heading = ['Empleado', 'Cédula', 'Teléfono o IBAN', 'Salario base', 'Monto', 'Detalle', 'Departamento', 'Ingreso']
day = datetime.date(2019, 2, 1)
rows = [
    ('Carlos Jiménez Mora', 304930258, 87000001, 700000, 350000, 'Salario de noviembre', 'Bodega', day),
    ('Ana Lucía Vargas Solano', '0205670891', 'CR70 0152 0010 0000 0000 02', 900000, 1500.25, 'Horas extra; sábado y domingo',
     'Ventas, San José', day),
    ('Ferretería El Roble S.A.', '3-101-234567', '+506 8700-0003', None, ('=E5*2', 3000.5), 'Herramientas "varias" de taller',
     '=Taller', None),
    ('Carlos Jiménez Mora', 304930258, '(506) 8700 0001', 700000, ('=0.1+0.2', 0.3), 'Ajuste de céntimos, niñez y ñandú', '',
     day),
]

book = openpyxl.Workbook()
sheet = book.active
sheet.title = 'Planilla'
sheet.append(['Planilla de noviembre de 2026'])
sheet.merge_cells('A1:H1')
sheet.append([])
sheet.append(heading)
for row in rows:
    sheet.append([cell[0] if isinstance(cell, tuple) else cell for cell in row])
sheet['G6'].data_type = 's'
for number in range(4, 8):
    sheet.cell(number, 5).number_format = '[$₡-140A]#,##0.00'
    sheet.cell(number, 2).number_format = '0000000000'
sheet.column_dimensions['D'].hidden = True
book.create_sheet('Notas').append(['otra', 'hoja'])
book.save('payroll-openpyxl.xlsx')

with open('payroll-python.csv', 'w', encoding='utf-8-sig', newline='') as file:
    file.write('sep=;\r\n')
    writer = csv.writer(file, dialect='excel', delimiter=';')
    writer.writerow(heading)
    for row in rows:
        cells = [cell[1] if isinstance(cell, tuple) else cell for cell in row]
        writer.writerow([str(cell).replace('.', ',') if isinstance(cell, float) else cell for cell in cells])
