/** Reads a code by camera or from a picture, and sends the form as if it had been pasted. */
const form = document.getElementById("entry");
const said = document.getElementById("said");

async function codeIn(source, width, height) {
  const { decodeQR } = await import("/bank/qr/decode.js");
  const canvas = new OffscreenCanvas(width, height);
  const drawing = canvas.getContext("2d", { willReadFrequently: true });
  drawing.drawImage(source, 0, 0, width, height);
  try {
    return decodeQR(drawing.getImageData(0, 0, width, height));
  } catch {
    return null;
  }
}

function take(code) {
  document.getElementById("code").value = code;
  form.requestSubmit();
}

async function watch(view) {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  view.srcObject = stream;
  view.hidden = false;
  await view.play();
  const look = async () => {
    const code = view.videoWidth > 0 ? await codeIn(view, view.videoWidth, view.videoHeight) : null;
    if (code === null) return void setTimeout(look, 200);
    for (const track of stream.getTracks()) track.stop();
    take(code);
  };
  await look();
}

if (form) {
  document.getElementById("scanner").hidden = false;
  document.getElementById("camera").addEventListener("click", () => {
    watch(document.getElementById("view")).catch(() => {
      said.textContent = form.dataset.noCamera;
    });
  });
  document.getElementById("picture").addEventListener("change", async ({ target }) => {
    const picture = await createImageBitmap(target.files[0]).catch(() => null);
    const code = picture && (await codeIn(picture, picture.width, picture.height));
    if (code) take(code);
    else said.textContent = form.dataset.noCode;
  });
}
