import { mount } from 'svelte';
import App from './App.svelte';
import { followLanguage } from './i18n/index.svelte';
import { showMissing } from './i18n/missing';
import { lab } from './state/lab.svelte';
import { followAddress } from './state/settings.svelte';
import { tieStores } from './state/ties.svelte';
import './styles/tokens.css';
import './styles/base.css';

const target = document.getElementById('app');
if (target) {
  // First of all: the worker starts while the page is drawn.
  void lab.start();
  followAddress();
  tieStores();
  followLanguage().then(
    () => mount(App, { target }),
    () => showMissing(target),
  );
}
