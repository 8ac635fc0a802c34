/** The simulator as a PSP: API Pix and Efí's additions like any bank's, plus the control API that plays the payer. */
import type { ApiPixSettings } from "../api-pix/config.ts";
import { type ApiPixDeps, createCaller } from "../api-pix/request.ts";
import { efi, efiConfig } from "../efi/efi.ts";
import type { Psp } from "../psp.ts";
import { type ControlSettings, withControl } from "./control.ts";

type SimulatorSettings = ApiPixSettings & ControlSettings;

/** Throws a TypeError on settings that cannot work. */
export function createSimulatorPsp(settings: SimulatorSettings, deps: ApiPixDeps): Psp {
  const { controlUrl, controlToken, ...own } = settings;
  const config = efiConfig(own);
  const { tls, timeoutMs } = config;
  return withControl(efi(config, createCaller(config, deps), deps, true), { controlUrl, controlToken, tls, timeoutMs });
}
