/** How a person is reached, as it stands in a text. */

export const emailAddress = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/;
export const phoneNumber = /\+?\(?\d[\d ()-]{6,}\d/;
