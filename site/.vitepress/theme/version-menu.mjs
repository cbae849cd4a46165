import { useData } from 'vitepress';
import { h, onMounted, ref } from 'vue';

/** The version of these pages, and a menu if the host publishes several. The file `versions.json` lists them. */
export const VersionMenu = {
  setup() {
    const { version, versionsFile } = useData().theme.value;
    const versions = ref([{ version, path: '' }]);
    onMounted(async () => {
      const answer = await fetch(versionsFile).catch(() => null);
      if (answer?.ok) versions.value = await answer.json();
    });
    const open = (event) => {
      const chosen = versions.value.find((one) => one.version === event.target.value);
      if (chosen !== undefined && chosen.version !== version) location.assign(chosen.path);
    };
    const option = (one) => h('option', { key: one.version, value: one.version }, `v${one.version}`);
    return () =>
      h('label', { class: 'version-menu' }, [
        h('span', { class: 'visually-hidden' }, 'Version'),
        h('select', { value: version, onChange: open }, versions.value.map(option)),
      ]);
  },
};
