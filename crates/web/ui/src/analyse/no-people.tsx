/** A hint shown instead of the results of networks that play like people if there are no such networks. */

export function NoPeople() {
  return (
    <div class="human">
      <p>This build has no human-like network.</p>
      <p class="note">
        Put one of the Maia networks (such as <code>maia-1500.pb.gz</code>) into the folder <code>nets</code>, or drop it on{' '}
        <a href="/networks">Networks</a>.
      </p>
    </div>
  );
}
