/** Opens the search. What it is made of is loaded after the first screen, so it may come a moment later. */
export const openSearch = (): void => {
  void import("@mantine/spotlight").then(({ spotlight }) => spotlight.open());
};
