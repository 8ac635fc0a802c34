import "./code-picture.css";

/** A QR code that is printed or shown to others, its white edge framed. */
export const CodePicture = ({ src, alt }: { src: string; alt: string }) => (
  <img className="code-picture" src={src} alt={alt} />
);
