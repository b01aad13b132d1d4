const accents = /[\u0300-\u036f]+/g;

/** A text as searches compare it: in lower case and without accents, however a keyboard or a file name wrote them. */
export function searchText(text: string): string {
  return text.toLowerCase().normalize('NFD').replace(accents, '').normalize('NFC');
}
