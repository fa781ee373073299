import { type FactWords } from '../facts';
import { type RateCardFactValues } from '../rate-cards';

export const rateCards: Pick<FactWords, keyof RateCardFactValues | 'rate_card.line'> = {
  'rate_card.header': () =>
    'No se encontró el encabezado. El archivo necesita una línea con las columnas Market, Currency y una por cada categoría, como Marketing y Utility.',
  'rate_card.quotes': () => 'Falta una comilla o está en un lugar incorrecto.',
  'rate_card.empty': () => 'El archivo no tiene precios debajo del encabezado.',
  'rate_card.long': ({ most }, { number }) => `Una tarifa tiene hasta ${number(most)} caracteres.`,
  'rate_card.market': ({ given }) =>
    `${given} no es un mercado conocido. Escriba un país, su código ISO o una región de la plataforma, como Rest of Africa.`,
  'rate_card.twice': ({ market }) => `${market} aparece dos veces en el archivo.`,
  'rate_card.currency': ({ given }) => `${given} no es una moneda. Escriba un código como USD.`,
  'rate_card.currencies': ({ currency, other }) =>
    `La moneda es ${currency}, pero ${other} en las líneas anteriores. Importe un archivo por cada moneda.`,
  'rate_card.price': ({ category, given }) =>
    `${given} no es un precio (${category}). Escriba un número como 1234,5, con hasta 6 decimales, o n/a.`,
  'rate_card.line': ({ line, because }, { number, say }) => `Línea ${number(line)}: ${say(because)}`,

  'budget.invalid': () => 'Escriba un importe como 1500 o 99,90.',
  'budget.no_card': () =>
    'Ninguna tarifa se aplica a este cliente. Importe una antes: el presupuesto se compara con sus estimaciones.',
};
