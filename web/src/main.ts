import { mount } from 'svelte';
import App from './App.svelte';
import { followLanguage } from './i18n/index.svelte';
import { lab } from './state/lab.svelte';
import { followAddress } from './state/settings.svelte';
import './styles/tokens.css';
import './styles/base.css';

const target = document.getElementById('app');
if (target) {
  followAddress();
  // The worker has the longest way to go: it sets out before the page is drawn.
  lab.begun = lab.start();
  void followLanguage().then(() => mount(App, { target }));
}
