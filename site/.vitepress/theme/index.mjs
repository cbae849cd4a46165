import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import { VersionMenu } from './version-menu.mjs';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'nav-bar-content-after': () => h(VersionMenu) }),
};
