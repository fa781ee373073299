import { type FactWords } from '../facts';
import { type RateCardFactValues } from '../rate-cards';

export const rateCards: Pick<FactWords, keyof RateCardFactValues | 'rate_card.line'> = {
  'rate_card.header': () =>
    'Nenhum cabeçalho encontrado. O arquivo precisa de uma linha com as colunas Market, Currency e uma para cada categoria, como Marketing e Utility.',
  'rate_card.quotes': () => 'Falta uma aspa ou ela está no lugar errado.',
  'rate_card.empty': () => 'O arquivo não tem preços abaixo do cabeçalho.',
  'rate_card.long': ({ most }, { number }) => `Uma tabela de preços tem até ${number(most)} caracteres.`,
  'rate_card.market': ({ given }) =>
    `${given} não é um mercado conhecido. Informe um país, seu código ISO ou uma região da plataforma, como Rest of Africa.`,
  'rate_card.twice': ({ market }) => `${market} aparece duas vezes no arquivo.`,
  'rate_card.currency': ({ given }) => `${given} não é uma moeda. Informe um código como USD.`,
  'rate_card.currencies': ({ currency, other }) =>
    `A moeda é ${currency}, mas ${other} nas linhas acima. Importe um arquivo para cada moeda.`,
  'rate_card.price': ({ category, given }) =>
    `${given} não é um preço (${category}). Informe um número como 1234,5, com até 6 casas decimais, ou n/a.`,
  'rate_card.line': ({ line, because }, { number, say }) => `Linha ${number(line)}: ${say(because)}`,

  'budget.invalid': () => 'Informe um valor como 1500 ou 99,90.',
  'budget.no_card': () =>
    'Nenhuma tabela de preços vale para este cliente. Importe uma antes: o orçamento é comparado com as estimativas dela.',
};
