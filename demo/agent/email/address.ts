/** The address that an agent is written to at. */

/** In lower case; what is no letter, digit or hyphen is a hyphen. */
export const toMailbox = (botId: string) => botId.toLowerCase().replace(/[^a-z0-9-]/g, '-');

export const addressOf = ({ uuid }: { uuid: string }, domain: string) => `${toMailbox(uuid)}@${domain}`;

/** One address, and nothing that would make it two or a header. */
export const isAddress = (text: string) =>
  text.length <= 320 && /^[^\s@<>,;:"()[\]\\\p{Cc}]+@[^\s@<>,;:"()[\]\\\p{Cc}]+$/u.test(text);

/** One writing of it. The letters of ASCII alone: Unicode makes one of two addresses, as of k and the sign of Kelvin. */
export const toKey = (address: string) => address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

export const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1).toLowerCase();
