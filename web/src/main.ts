import { mount } from 'svelte';
import App from './App.svelte';
import { followLanguage } from './i18n/index.svelte';
import { followAddress } from './state/settings.svelte';
import './styles/tokens.css';
import './styles/base.css';

const target = document.getElementById('app');
if (target) {
  followAddress();
  void followLanguage().then(() => mount(App, { target }));
}
