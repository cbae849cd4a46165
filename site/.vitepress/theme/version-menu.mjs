import { useData } from 'vitepress';
import { h, onMounted, ref } from 'vue';

/** The version of these pages, and a menu of the versions that the host publishes. The file `versions.json` lists them. */
export const VersionMenu = {
  setup() {
    const { site, theme } = useData();
    const { version, versionsFile } = theme.value;
    const versions = ref([{ version, path: '' }]);
    onMounted(async () => {
      const answer = await fetch(versionsFile).catch(() => null);
      if (answer?.ok) versions.value = await answer.json();
    });
    const open = (event) => {
      const chosen = versions.value.find((one) => one.version === event.target.value);
      if (chosen !== undefined && chosen.version !== version) openVersion(chosen.path, site.value.base);
    };
    const option = (one) => h('option', { key: one.version, value: one.version }, nameVersion(one.version));
    return () =>
      h('label', { class: 'version-menu' }, [
        h('span', { class: 'visually-hidden' }, 'Version'),
        h('select', { value: version, onChange: open }, versions.value.map(option)),
      ]);
  },
};

/** Opens the same page of another version, or its first page if the version does not have this page. */
async function openVersion(path, base) {
  const page = path + location.pathname.slice(base.length);
  const answer = await fetch(page, { method: 'HEAD' }).catch(() => null);
  location.assign(answer?.ok ? page : path);
}

/** `main` is a branch. */
function nameVersion(version) {
  return /^\d/.test(version) ? `v${version}` : version;
}
