import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

/** What a server asks a browser for. */
type Asked = {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string };
  readonly user?: { readonly id: string };
};
/** What an attacker's browser would do otherwise. */
type Wrong = {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly userVerified?: boolean;
  readonly userHandle?: string | null;
  readonly signatures?: number;
};

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();
const base64url = (data: Buffer): string => data.toString("base64url");
/** CBOR of a byte string and of a text: what a passkey is written in (RFC 8949). */
const bytes = (data: Buffer): Buffer => Buffer.concat([Buffer.from([0x58, data.length]), data]);
const text = (data: string): Buffer => Buffer.concat([Buffer.from([0x60 + data.length]), Buffer.from(data)]);

/** A passkey in software, written from WebAuthn by itself: one ES256 key, kept with its user. */
export class Passkey {
  readonly origin: string;
  readonly id = base64url(randomBytes(32));
  readonly #key: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  userHandle = "";
  /** How often it signed; null: it does not count, as most do. */
  signatures: number | null = null;

  constructor(origin: string) {
    this.origin = origin;
    this.#key = generateKeyPairSync("ec", { namedCurve: "P-256" });
  }

  #clientData(asked: Asked, type: string, wrong: Wrong): Buffer {
    const [challenge, origin] = [wrong.challenge ?? asked.challenge, wrong.origin ?? this.origin];
    return Buffer.from(JSON.stringify({ type: wrong.type ?? type, challenge, origin, crossOrigin: false }));
  }

  /** RP id hash, flags (user present, verified, key attached), counter. */
  #head(rpId: string, withKey: boolean, { userVerified = true, signatures }: Wrong): Buffer {
    if (this.signatures !== null) this.signatures += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(signatures ?? this.signatures ?? 0);
    return Buffer.concat([sha256(rpId), Buffer.from([1 + (userVerified ? 4 : 0) + (withKey ? 0x40 : 0)]), counter]);
  }

  /** Answers to the options of a registration. */
  make(asked: Asked, wrong: Wrong = {}) {
    this.userHandle = asked.user!.id;
    const { x, y } = this.#key.publicKey.export({ format: "jwk" });
    const [xOf, yOf] = [Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")];
    // COSE: an elliptic key, ES256, P-256, x, y.
    const cose = Buffer.concat([
      Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]),
      bytes(xOf),
      Buffer.from([0x22]),
      bytes(yOf),
    ]);
    const id = Buffer.from(this.id, "base64url");
    const authData = Buffer.concat([
      this.#head(wrong.rpId ?? asked.rp!.id, true, wrong),
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      cose,
    ]);
    const attestation = Buffer.concat([
      ...[Buffer.from([0xa3]), text("fmt"), text("none"), text("attStmt"), Buffer.from([0xa0])],
      ...[text("authData"), bytes(authData)],
    ]);
    return {
      ...{ id: this.id, rawId: this.id, type: "public-key", clientExtensionResults: {} },
      response: {
        clientDataJSON: base64url(this.#clientData(asked, "webauthn.create", wrong)),
        attestationObject: base64url(attestation),
        transports: ["internal"],
      },
    };
  }

  /** Answers to the options of a sign-in or a confirmation. */
  sign(asked: Asked, wrong: Wrong = {}) {
    const clientData = this.#clientData(asked, "webauthn.get", wrong);
    const authData = this.#head(wrong.rpId ?? asked.rpId!, false, wrong);
    const signature = createSign("sha256")
      .update(Buffer.concat([authData, sha256(clientData)]))
      .sign(this.#key.privateKey);
    const userHandle = wrong.userHandle === undefined ? this.userHandle : wrong.userHandle;
    return {
      ...{ id: this.id, rawId: this.id, type: "public-key", clientExtensionResults: {} },
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(authData),
        signature: base64url(signature),
        ...(userHandle !== null && { userHandle }),
      },
    };
  }
}
